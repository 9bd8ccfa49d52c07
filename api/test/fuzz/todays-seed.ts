/** Changes every day, so that each day's runs try other inputs. */
export const todaysSeed = (): string => new Date().toISOString().slice(0, 10).replaceAll('-', '')
