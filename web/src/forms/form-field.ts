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
  /** The error of the value, worded for the person who typed it; null when it is valid. */
  problem: (value: string) => string | null
}

export type FormValues = Record<string, string>
