import type { ComparedPart } from './compared-words.ts'
import { type ChangedLine, compareLines } from './word-diff.ts'
import './versions.css'

interface DifferencesProps {
  before: readonly ComparedPart[]
  after: readonly ComparedPart[]
  lang: string
}

/** Shows, field by field, the words that only the earlier or only the later text has. */
export function Differences({ before, after, lang }: DifferencesProps) {
  const labels = [...new Set([...before, ...after].map(({ label }) => label))]
  const textIn = (parts: readonly ComparedPart[], label: string) =>
    parts.find((part) => part.label === label)?.text ?? ''
  const changed = labels
    .map((label) => ({ label, lines: compareLines(textIn(before, label), textIn(after, label)) }))
    .filter(({ lines }) => lines.some((line) => line !== null))
  if (changed.length === 0) return <p className="field-hint">The words are the same.</p>
  return (
    <dl className="differences">
      {changed.map(({ label, lines }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd lang={lang} dir="auto">
            {lines.map((line, index) => (
              <Line key={index} line={line} />
            ))}
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Line({ line }: { line: ChangedLine }) {
  if (line === null) return <p className="differences-gap">…</p>
  return (
    <p>
      {line.map(({ kind, text }, index) => {
        if (kind === 'same') return text
        const Element = kind
        return <Element key={index}>{text}</Element>
      })}
    </p>
  )
}
