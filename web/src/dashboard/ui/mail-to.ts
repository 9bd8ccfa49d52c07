/** Returns the address of a link that writes to this email address. */
export const mailTo = (email: string) => `mailto:${encodeURIComponent(email).replace('%40', '@')}`
