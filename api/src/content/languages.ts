/** Every text has English words, and stands for a translation that is missing. */
export const ENGLISH = 'en'
