import { adminPaths } from '@proctorpass/shared/admin-paths'
import { AppError, type ErrorDetail } from '@proctorpass/shared/errors'
import { cleanSite, DEFAULT_LOOK, siteProblems } from '@proctorpass/shared/fields/site'
import type { NewSite, Site, SiteChange, SiteList } from '@proctorpass/shared/schemas/site'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Path, useForm } from 'react-hook-form'
import { toast } from '../../components/toast.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { callAsAdmin } from '../../lib/session.ts'
import { Conflict, isVersionConflict } from '../ui/conflict.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { DialogEnd } from '../ui/dialog-end.tsx'
import { Field } from '../ui/field.tsx'
import { SITES } from '../ui/sites.ts'
import { LauncherPreview } from './launcher-preview.tsx'

interface SiteFormProps {
  /** Null: a new one. */
  site: Site | null
  onClose: () => void
}

/** The fields as they are typed: one origin in each line. */
interface Values {
  name: string
  origins: string
  enabled: boolean
  look: NewSite['look'] & object
}

const valuesOf = (site: Site | null): Values => ({
  name: site?.name ?? '',
  origins: site?.origins.join('\n') ?? '',
  enabled: site?.enabled ?? true,
  look: site?.look ?? DEFAULT_LOOK,
})

const bodyOf = ({ name, origins, enabled, look }: Values) =>
  cleanSite({
    ...{ name, enabled, look },
    origins: origins.split(/[\s,]+/).filter((origin) => origin !== ''),
  })

/** Adds or changes a website. */
export function SiteForm({ site, onClose }: SiteFormProps) {
  const queryClient = useQueryClient()
  const form = useForm<Values>({ defaultValues: valuesOf(site) })
  const { errors, isSubmitting } = form.formState
  const [version, setVersion] = useState(site?.version ?? 0)
  /** The version that another admin saved meanwhile. */
  const [other, setOther] = useState<Site | null>(null)
  const look = form.watch('look')
  const origins = form.watch('origins')

  /** Each entry of the list has its own message: those of the box are joined. */
  function show(details: readonly ErrorDetail[]): boolean {
    const ofOrigins = details.filter(({ field }) => field.startsWith('origins')).map(({ message }) => message)
    if (ofOrigins.length > 0)
      form.setError('origins', { message: ofOrigins.join('. ') }, { shouldFocus: true })
    for (const { field, message } of details) {
      if (field.startsWith('origins')) continue
      form.setError(
        field.replaceAll('/', '.') as Path<Values>,
        { message },
        { shouldFocus: ofOrigins.length === 0 },
      )
    }
    return details.length > 0
  }

  async function handleValid(values: Values): Promise<void> {
    const body = bodyOf(values)
    if (show(siteProblems(body))) return
    try {
      if (site === null) await callAsAdmin(adminPaths.sites, { method: 'POST', body })
      else {
        const change: SiteChange = { ...body, version }
        await callAsAdmin(adminPaths.site(site._id), { method: 'PATCH', body: change })
      }
      toast.success('Website saved')
      await queryClient.invalidateQueries({ queryKey: SITES })
      onClose()
    } catch (error) {
      if (site !== null && isVersionConflict(error)) setOther(await readAgain(site._id))
      else if (error instanceof AppError) show(error.details ?? [])
      toast.error(errorMessage(error))
    }
  }

  async function readAgain(id: string): Promise<Site | null> {
    const list = await callAsAdmin<SiteList>(adminPaths.sites).catch(() => undefined)
    return list?.sites.find(({ _id }) => _id === id) ?? null
  }

  const pixels = { valueAsNumber: true } as const
  return (
    <Dialog title={site === null ? 'Add website' : 'Edit website'} onClose={onClose} busy={isSubmitting}>
      <form
        className="dialog-form"
        noValidate
        aria-busy={isSubmitting}
        onSubmit={form.handleSubmit(handleValid)}
      >
        <Field label="Name" hint="Admins see it in the inbox." error={errors.name?.message}>
          {(shared) => <input {...shared} {...form.register('name')} type="text" autoComplete="off" />}
        </Field>
        <Field
          label="Addresses"
          hint={
            <>
              One in each line, such as https://www.example.com or https://*.example.com. Only pages of these
              can show the chat.
              {origins.includes('[') && ' Browsers never show it on pages of an IPv6 address such as [::1].'}
            </>
          }
          error={errors.origins?.message}
        >
          {(shared) => (
            <textarea
              {...shared}
              {...form.register('origins')}
              rows={3}
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              inputMode="url"
            />
          )}
        </Field>
        <fieldset className="site-look">
          <legend>Launcher</legend>
          <Field label="Color" error={errors.look?.color?.message}>
            {(shared) => <input {...shared} {...form.register('look.color')} type="color" />}
          </Field>
          <Field label="Side" error={errors.look?.side?.message}>
            {(shared) => (
              <select {...shared} {...form.register('look.side')}>
                <option value="right">Right</option>
                <option value="left">Left</option>
              </select>
            )}
          </Field>
          <Field label="Pixels from the side" error={errors.look?.offset?.x?.message}>
            {(shared) => (
              <input
                {...shared}
                {...form.register('look.offset.x', pixels)}
                type="number"
                min={0}
                max={200}
              />
            )}
          </Field>
          <Field label="Pixels from the bottom" error={errors.look?.offset?.y?.message}>
            {(shared) => (
              <input
                {...shared}
                {...form.register('look.offset.y', pixels)}
                type="number"
                min={0}
                max={200}
              />
            )}
          </Field>
          <Field label="Label in English" hint="Optional" error={errors.look?.label?.en?.message}>
            {(shared) => <input {...shared} {...form.register('look.label.en')} type="text" maxLength={24} />}
          </Field>
          <Field label="Label in Chinese" hint="Optional" error={errors.look?.label?.zh?.message}>
            {(shared) => (
              <input {...shared} {...form.register('look.label.zh')} type="text" maxLength={24} lang="zh" />
            )}
          </Field>
        </fieldset>
        <LauncherPreview look={look} />
        <label className="checkbox">
          <input type="checkbox" {...form.register('enabled')} />
          The chat is on
        </label>
        {other && (
          <Conflict
            what="this website"
            inDialog
            onKeepMine={() => {
              setVersion(other.version)
              setOther(null)
            }}
            onTakeOther={() => {
              form.reset(valuesOf(other))
              setVersion(other.version)
              setOther(null)
            }}
          >
            <p>
              Saved now: {other.name}, {other.origins.join(', ')}
            </p>
          </Conflict>
        )}
        <DialogEnd submitLabel="Save" cancelLabel="Close" busy={isSubmitting} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
