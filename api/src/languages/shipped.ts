import ar from '@proctorpass/shared/languages/ar.json' with { type: 'json' }
import bn from '@proctorpass/shared/languages/bn.json' with { type: 'json' }
import cs from '@proctorpass/shared/languages/cs.json' with { type: 'json' }
import de from '@proctorpass/shared/languages/de.json' with { type: 'json' }
import en from '@proctorpass/shared/languages/en.json' with { type: 'json' }
import es from '@proctorpass/shared/languages/es.json' with { type: 'json' }
import fa from '@proctorpass/shared/languages/fa.json' with { type: 'json' }
import fr from '@proctorpass/shared/languages/fr.json' with { type: 'json' }
import he from '@proctorpass/shared/languages/he.json' with { type: 'json' }
import hi from '@proctorpass/shared/languages/hi.json' with { type: 'json' }
import id from '@proctorpass/shared/languages/id.json' with { type: 'json' }
import it from '@proctorpass/shared/languages/it.json' with { type: 'json' }
import ja from '@proctorpass/shared/languages/ja.json' with { type: 'json' }
import ko from '@proctorpass/shared/languages/ko.json' with { type: 'json' }
import nl from '@proctorpass/shared/languages/nl.json' with { type: 'json' }
import pl from '@proctorpass/shared/languages/pl.json' with { type: 'json' }
import ptBR from '@proctorpass/shared/languages/pt-BR.json' with { type: 'json' }
import ru from '@proctorpass/shared/languages/ru.json' with { type: 'json' }
import th from '@proctorpass/shared/languages/th.json' with { type: 'json' }
import tr from '@proctorpass/shared/languages/tr.json' with { type: 'json' }
import vi from '@proctorpass/shared/languages/vi.json' with { type: 'json' }
import zh from '@proctorpass/shared/languages/zh.json' with { type: 'json' }

/** A text, or its forms by plural category. */
export type Text = string | Readonly<Record<string, string>>
/** A language's texts by key. */
export type Texts = Readonly<Record<string, Text>>

/** The texts that decide which keys there are, and which places each text has. */
export const ENGLISH: Texts = en

/** The languages that the release ships, by tag. */
export const SHIPPED = {
  ar,
  bn,
  cs,
  de,
  en,
  es,
  fa,
  fr,
  he,
  hi,
  id,
  it,
  ja,
  ko,
  nl,
  pl,
  'pt-BR': ptBR,
  ru,
  th,
  tr,
  vi,
  zh,
} as const satisfies Readonly<Record<string, Texts>>
