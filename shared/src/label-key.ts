/** Labels with the same key are the same label. */
export const labelKey = (label: string): string => label.normalize('NFKC').toLowerCase()
