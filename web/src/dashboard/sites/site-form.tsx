import { adminPaths } from '@proctorpass/shared/admin-paths'
import { cleanSite, DEFAULT_LOOK, siteProblems } from '@proctorpass/shared/fields/site'
import { SITE_LABEL_MAX } from '@proctorpass/shared/limits'
import type { Localized } from '@proctorpass/shared/schemas/settings'
import type { NewSite, Site, SiteChange, SiteList } from '@proctorpass/shared/schemas/site'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { callAsAdmin } from '../../lib/session.ts'
import { useSiteConfig } from '../../lib/site-config.ts'
import { TextField } from '../ui/admin-form.tsx'
import { Conflict } from '../ui/conflict.tsx'
import { Field } from '../ui/field.tsx'
import { TextInLanguages } from '../ui/in-languages.tsx'
import { useLanguages } from '../ui/language-field.tsx'
import { SITES } from '../ui/sites.ts'
import { SubmitButton } from '../ui/submit-button.tsx'
import { Switch } from '../ui/switch.tsx'
import { useAdminForm } from '../ui/use-admin-form.ts'
import { LauncherPreview } from './launcher-preview.tsx'

interface SiteFormProps {
  /** Null adds a new one. */
  site: Site | null
  onClose: () => void
}

/** The fields' values as the admin types them, with one origin on each line. */
interface Values {
  name: string
  displayName: string
  greeting: Localized
  origins: string
  enabled: boolean
  look: NewSite['look'] & object
}

const valuesOf = (site: Site | null): Values => ({
  name: site?.name ?? '',
  displayName: site?.displayName ?? '',
  greeting: site?.greeting ?? { en: '', zh: '' },
  origins: site?.origins.join('\n') ?? '',
  enabled: site?.enabled ?? true,
  look: site?.look ?? DEFAULT_LOOK,
})

const bodyOf = ({ name, displayName, greeting, origins, enabled, look }: Values) =>
  cleanSite({
    ...{ name, displayName, greeting, enabled, look },
    origins: origins.split(/[\s,]+/).filter((origin) => origin !== ''),
  })

/** Adds or changes a website in the page, beside a preview of its launcher. */
export function SiteForm({ site, onClose }: SiteFormProps) {
  const queryClient = useQueryClient()
  const form = useAdminForm<Values, Site>({
    defaultValues: valuesOf(site),
    problems: (values) => siteProblems(bodyOf(values)),
    // The text box shows the errors of all its lines.
    fieldOf: (name) => (name.startsWith('origins') ? 'origins' : name.replaceAll('/', '.')),
    stored: site && { version: site.version, read: () => readSite(site._id), valuesOf },
    async send(values, version) {
      const body = bodyOf(values)
      if (site === null) await callAsAdmin(adminPaths.sites, { method: 'POST', body })
      else {
        const change: SiteChange = { ...body, version }
        await callAsAdmin(adminPaths.site(site._id), { method: 'PATCH', body: change })
      }
      await queryClient.invalidateQueries({ queryKey: SITES })
      onClose()
      return 'Website saved'
    },
  })
  const { setFocus } = form.form
  useEffect(() => {
    const opener = document.activeElement
    setFocus('name')
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    }
  }, [setFocus])
  const { brand } = useSiteConfig()
  const languages = useLanguages()
  const look = form.form.watch('look')
  const greeting = form.form.watch('greeting')
  const enabled = form.form.watch('enabled')
  const origins = form.form.watch('origins')
  const { isSubmitted } = form.form.formState
  const change = (name: 'greeting' | 'look.label', texts: Localized) =>
    form.form.setValue(name, texts, { shouldDirty: true, shouldValidate: isSubmitted })
  const texts = { languages, errorOf: (field: string) => form.errorOf(field.replaceAll('/', '.')) }
  const pixels = { form, options: { valueAsNumber: true }, type: 'number', min: 0, max: 200 } as const
  return (
    <form className="site-form" aria-label={site === null ? 'Add website' : 'Edit website'} {...form.props}>
      <div className="card">
        {site === null && <h2>Add website</h2>}
        <div className="site-fields">
          <TextField
            form={form}
            name="name"
            label="Name"
            hint="Your team sees it in the inbox."
            type="text"
            autoComplete="off"
          />
          <TextField
            form={form}
            name="origins"
            label="Addresses"
            hint={
              <>
                One per line, for example https://www.example.com or https://*.example.com. The chat appears
                only on these addresses.
                {origins.includes('[') && " Browsers can't show it on IPv6 addresses such as [::1]."}
              </>
            }
            rows={3}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            inputMode="url"
          />
        </div>
        <fieldset className="site-part">
          <legend>Chat</legend>
          <div className="site-fields">
            <TextField
              form={form}
              name="displayName"
              label="Display name"
              hint={`Visitors see it in the chat on this website. Leave blank to show ${brand}.`}
              type="text"
              dir="auto"
              autoComplete="off"
            />
          </div>
          <TextInLanguages
            {...texts}
            field="greeting"
            label="Greeting"
            hint="Leave blank to use the greeting from the settings."
            texts={greeting}
            onChange={(changed) => change('greeting', changed)}
          />
        </fieldset>
        <fieldset className="site-part">
          <legend>Launcher</legend>
          <div className="site-fields">
            <TextField form={form} name="look.color" label="Color" type="color" />
            <Field label="Side" error={form.errorOf('look.side')}>
              {(shared) => (
                <select {...shared} {...form.form.register('look.side')}>
                  <option value="right">Right</option>
                  <option value="left">Left</option>
                </select>
              )}
            </Field>
            <TextField {...pixels} name="look.offset.x" label="Pixels from the side" />
            <TextField {...pixels} name="look.offset.y" label="Pixels from the bottom" />
          </div>
          <TextInLanguages
            {...texts}
            field="look/label"
            label="Label"
            hint="Leave blank to show only the icon."
            rows={null}
            maxLength={SITE_LABEL_MAX}
            texts={look.label}
            onChange={(label) => change('look.label', label)}
          />
        </fieldset>
        <Switch
          label="Chat enabled"
          checked={enabled}
          onChange={(isOn) => form.form.setValue('enabled', isOn, { shouldDirty: true })}
        />
        {form.conflict && (
          <Conflict what="this website" inDialog {...form.conflict}>
            <p>
              Saved version: {form.conflict.other.name}, {form.conflict.other.origins.join(', ')}
            </p>
          </Conflict>
        )}
        <div className="card-end">
          <button type="button" className="button" disabled={form.busy} onClick={onClose}>
            Cancel
          </button>
          <SubmitButton busy={form.busy}>Save</SubmitButton>
        </div>
      </div>
      <LauncherPreview look={look} />
    </form>
  )
}

async function readSite(id: string): Promise<Site | null> {
  const { sites } = await callAsAdmin<SiteList>(adminPaths.sites)
  return sites.find(({ _id }) => _id === id) ?? null
}
