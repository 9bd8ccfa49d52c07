import { Download, Trash2, Upload } from 'virtual:icons'
import { languagePaths } from '@proctorpass/shared/language-paths'
import type { Language, LanguageFile, LanguageList } from '@proctorpass/shared/schemas/language'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useId, useRef } from 'react'
import { Icon } from '../../components/icon.tsx'
import { toast } from '../../components/toast.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { saveJson } from '../../lib/save-file.ts'
import { callAsAdmin } from '../../lib/session.ts'
import { Group } from '../ui/group.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { englishName } from '../ui/language-names.ts'
import { LoadFailed, Loading } from '../ui/loading.tsx'
import { useDelete } from '../ui/use-delete.tsx'
import type { SettingsFields } from './use-settings-form.ts'

export const LANGUAGES = { id: 'languages', title: 'Languages' }

const QUERY = ['languages']
const OWN = { upload: 'Uploaded', file: 'File on the server' }

export const languagesQuery = queryOptions({
  queryKey: QUERY,
  queryFn: ({ signal }) => callAsAdmin<LanguageList>(languagePaths.languages, { signal }),
})

/** Lists the widget's languages, says which visitors can choose, and takes files with other words. */
export function LanguageFields({ values: { languages }, change }: SettingsFields) {
  const { data, error, refetch } = useQuery(languagesQuery)
  const { ask, dialog } = useDelete({
    title: 'Delete the uploaded file?',
    question: "Visitors read the release's words again. A language that the release lacks is gone.",
    list: QUERY,
    notice: 'File deleted',
  })
  const heading = `${LANGUAGES.id}-heading`
  return (
    <Group
      {...LANGUAGES}
      note="The chat, emails to visitors, and the pages behind their links speak these languages. A file can change single sentences or add a language."
      action={<UploadButton />}
    >
      {data === undefined && error === null && <Loading />}
      {data === undefined && error !== null && <LoadFailed error={error} onRetry={refetch} />}
      {data && (
        <div className="card settings-languages">
          <table aria-labelledby={heading}>
            <thead>
              <tr>
                <th scope="col">Language</th>
                <th scope="col">Tag</th>
                <th scope="col">Direction</th>
                <th scope="col">Words</th>
                <th scope="col">Missing</th>
                <th scope="col">Shown</th>
                <th scope="col">
                  <span className="visually-hidden">File</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {data.languages.map((language) => (
                <LanguageRow
                  key={language.tag}
                  language={language}
                  isShown={languages.includes(language.tag)}
                  onShow={(isShown) =>
                    change({
                      languages: isShown
                        ? [...languages, language.tag].sort()
                        : languages.filter((tag) => tag !== language.tag),
                    })
                  }
                  onDelete={() => ask(languagePaths.language(language.tag))}
                />
              ))}
            </tbody>
          </table>
          {data.problems.length > 0 && (
            <ul className="settings-problems" aria-label="Problems with language files">
              {data.problems.map(({ message }) => (
                <li key={message}>{message}</li>
              ))}
            </ul>
          )}
        </div>
      )}
      {dialog}
    </Group>
  )
}

interface LanguageRowProps {
  language: Language
  isShown: boolean
  onShow: (isShown: boolean) => void
  onDelete: () => void
}

function LanguageRow({ language, isShown, onShow, onDelete }: LanguageRowProps) {
  const { tag, name, dir, shipped, own, missing } = language
  const english = englishName(tag)
  async function download() {
    try {
      saveJson(await callAsAdmin<LanguageFile>(languagePaths.language(tag)), `${tag}.json`)
    } catch (error) {
      toast.error(errorMessage(error, "The file couldn't be downloaded"))
    }
  }
  return (
    <tr>
      <th scope="row">
        <bdi lang={tag}>{name}</bdi>
        {english !== name && <span className="settings-language-name">{english}</span>}
      </th>
      <td>{tag}</td>
      <td>{dir === 'rtl' ? 'Right to left' : 'Left to right'}</td>
      <td>{own === null ? 'Shipped' : `${OWN[own]}${shipped ? ' and shipped' : ''}`}</td>
      <td>{missing}</td>
      <td className="settings-language-switch">
        <input
          type="checkbox"
          // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox has its state; HTML forbids aria-checked
          role="switch"
          aria-label={`Show ${english}`}
          checked={isShown}
          disabled={tag === 'en'}
          onChange={(event) => onShow(event.target.checked)}
        />
      </td>
      <td className="settings-language-file">
        <IconButton icon={Download} label="Download as JSON" onClick={download} />
        {own === 'upload' && (
          <IconButton icon={Trash2} label={`Delete the uploaded ${english}`} onClick={onDelete} />
        )}
      </td>
    </tr>
  )
}

/** Uploads a file whose name is the language's tag. */
function UploadButton() {
  const queryClient = useQueryClient()
  const input = useRef<HTMLInputElement>(null)
  const id = useId()
  const { mutate, isPending, error } = useMutation({
    async mutationFn(file: File) {
      const tag = file.name.replace(/\.json$/i, '')
      const body: unknown = JSON.parse(await file.text())
      return callAsAdmin<{ message: string }>(languagePaths.language(tag), { method: 'PUT', body })
    },
    onSuccess: ({ message }) => {
      toast.success(message)
      return queryClient.invalidateQueries({ queryKey: QUERY })
    },
  })
  return (
    <div className="settings-upload">
      <input
        ref={input}
        type="file"
        hidden
        accept=".json,application/json"
        onChange={(event) => {
          const [file] = event.target.files ?? []
          if (file) mutate(file)
          event.target.value = ''
        }}
      />
      <button
        type="button"
        className="button button-s"
        disabled={isPending}
        aria-describedby={`${id}-hint`}
        onClick={() => input.current?.click()}
      >
        <Icon of={Upload} />
        Upload
      </button>
      <p className="field-hint" id={`${id}-hint`}>
        A file such as de.json
      </p>
      <div role="alert" className="field-error">
        {error && <UploadProblems error={error} />}
      </div>
    </div>
  )
}

function UploadProblems({ error }: { error: Error }) {
  const details = 'details' in error && Array.isArray(error.details) ? error.details : []
  if (details.length < 2) return errorMessage(error, "The file isn't valid JSON")
  return (
    <ul>
      {details.map(({ field, message }) => (
        <li key={field + message}>{message}</li>
      ))}
    </ul>
  )
}
