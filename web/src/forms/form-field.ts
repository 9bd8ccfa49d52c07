export interface FormField {
  name: string
  label: string
  type: 'text' | 'email' | 'number' | 'long'
  autoComplete?: string
  hint?: string
  /** The limits and the step of a number field. */
  min?: number
  max?: number
  step?: number | 'any'
  /** Returns the value's error, worded for the person who typed it. Null if the value is valid. */
  problem: (value: string) => string | null
}

export type FormValues = Record<string, string>
