export interface FormField {
  name: string
  label: string
  type: 'text' | 'email' | 'number' | 'long'
  autoComplete?: string
  hint?: string
  /** For a number. */
  min?: number
  max?: number
  step?: number | 'any'
  /** What is wrong with the value, worded for the person who typed it; null when nothing is. */
  problem: (value: string) => string | null
}

export type FormValues = Record<string, string>
