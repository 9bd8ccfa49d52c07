import files from 'virtual:words/files'
import type { Words } from '../../language/words.ts'
import { useViewLanguage } from '../view-language.ts'

export function useAttachmentWords(): Words['files'] {
  return useViewLanguage().others?.files ?? files
}
