import { toast } from '../../components/toast.ts'
import { useLanguage } from '../language/language.ts'

/** Shows a toast in the chat's language, which may differ from the page's. */
export function chatToast(kind: keyof typeof toast, message: string): void {
  const { tag, words } = useLanguage.getState()
  toast[kind](message, words ? { language: { ...words.launcher, ...words.language, lang: tag } } : {})
}
