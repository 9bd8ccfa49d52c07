import type { Hours } from '@proctorpass/shared/schemas/settings'
import { createContext } from 'react'

/** The opening hours of the chat as the page was served. Null: always open. Undefined while they are unknown. */
export const ChatHoursContext = createContext<Hours | null | undefined>(undefined)
