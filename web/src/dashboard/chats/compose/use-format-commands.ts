import { Bold, Italic, Link2 } from 'virtual:icons'
import type { RefObject } from 'react'
import type { ComposerHandle } from '../../../chat/view/composer.tsx'
import { type FormatKey, formatSelection } from '../../ui/format-keys.ts'
import { useCommands } from '../../ui/shortcuts.ts'

const FORMATS: readonly { key: FormatKey; label: string; icon: string }[] = [
  { key: 'b', label: 'Bold', icon: Bold },
  { key: 'i', label: 'Italic', icon: Italic },
  { key: 'k', label: 'Link the selected words', icon: Link2 },
]

/** Offers the message box's formats in the command menu and the list of shortcuts. The box handles their keys. */
export function useFormatCommands(composer: RefObject<ComposerHandle | null>): void {
  useCommands(
    FORMATS.map(({ key, ...command }) => ({
      ...command,
      keys: `mod+${key}`,
      inBox: true,
      run: () => composer.current?.box && formatSelection(composer.current.box, key),
    })),
  )
}
