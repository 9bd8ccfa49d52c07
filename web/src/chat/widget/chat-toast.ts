import { toast } from '../../components/toast.ts'
import { useLanguage } from '../language/language.ts'

/** A toast in the language of the chat, which may be another one than the page's. */
export function chatToast(kind: keyof typeof toast, message: string): void {
  const { tag, words } = useLanguage.getState()
  toast[kind](message, words ? { language: { ...words.launcher, lang: tag } } : {})
}
