import { useLocation, useNavigate } from 'react-router'
import { ENGLISH } from './texts.ts'

/** Holds the chosen language in the page's address. */
export function useLanguage(): [lang: string, choose: (lang: string) => void] {
  const { pathname, search } = useLocation()
  const navigate = useNavigate()
  const params = new URLSearchParams(search)
  return [
    params.get('lang') ?? ENGLISH,
    (lang) => {
      if (lang === ENGLISH) params.delete('lang')
      else params.set('lang', lang)
      const query = params.toString()
      navigate(query === '' ? pathname : `${pathname}?${query}`)
    },
  ]
}
