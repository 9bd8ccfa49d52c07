import type { AuditAction } from '@proctorpass/shared/audit'
import type { AuditEntry } from '@proctorpass/shared/schemas/audit'

/** What stands after the actor's name for each action. `{name}` stands for the name in the details. */
const SENTENCES: Record<AuditAction, string> = {
  'session.started': 'signed in',
  'session.refused': 'entered a wrong password to sign in',
  'session.left': 'signed out',
  'session.ended': 'ended a session',
  'confirmation.refused': 'entered a wrong password or code to confirm their identity',
  'password.changed': 'changed their password',
  'password.refused': 'entered a wrong current password to change it',
  'email.changed': 'changed their email address',
  'factor.added': 'added a second factor: {name}',
  'factor.removed': 'removed a second factor: {name}',
  'recovery.renewed': 'created new recovery codes',
  'admin.created': 'created {name}',
  'admin.invited': 'invited {name}',
  'admin.joined': 'joined the team',
  'admin.renamed': 'renamed {name}',
  'admin.disabled': 'disabled {name}',
  'admin.enabled': 'enabled {name}',
  'admin.removed': 'removed {name}',
  'admin.reset': 'reset {name}’s password',
  'settings.changed': 'changed the settings',
  'site.created': 'added the website {name}',
  'site.changed': 'changed a website',
  'site.deleted': 'deleted the website {name}',
  'site-secret.created': 'created a secret for a website',
  'site-secret.deleted': 'deleted a website’s secret',
  'key.created': 'created the API key {name}',
  'key.deleted': 'deleted an API key',
  'endpoint.created': 'added the endpoint {name}',
  'endpoint.changed': 'changed an endpoint',
  'endpoint.deleted': 'deleted an endpoint',
  'endpoint-secret.created': 'created a new secret for an endpoint',
  'conversation.erased': 'erased a conversation',
  'conversation.exported': 'downloaded a conversation',
  'visitor.blocked': 'blocked a visitor',
  'visitor.unblocked': 'unblocked a visitor',
  'post.deleted': 'deleted the post {title}',
  'review.deleted': 'deleted a review',
  'contact.deleted': 'deleted a contact message',
  'samples.deleted': 'removed the samples',
  'reports.exported': 'exported the reports',
  'audit.exported': 'exported this log',
  'audit.cut': 'removed this log’s oldest entries',
  'retention.ran': 'erased {erased} old conversations',
  'store.copied': 'started with a restored or migrated database',
}

/** Returns an action as a choice of the filter: "Created …". */
export function auditChoice(action: AuditAction): string {
  const words = SENTENCES[action].replace(/\{\w+\}/g, '…')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** If the entry names no admin, a visitor did these actions. */
const BY_VISITOR: readonly string[] = ['conversation.erased', 'conversation.exported']

/** Returns a sentence such as "maria disabled jonas". `nameOf` returns the name of an admin or a key. */
export function auditSentence(entry: AuditEntry, nameOf: (by: string) => string): string {
  const { by, action, details } = entry
  const system = BY_VISITOR.includes(action) ? 'A visitor' : 'The server or its operator'
  const what = (SENTENCES as Record<string, string>)[action] ?? action
  const unnamed = details.kind === 'totp' ? 'authenticator app' : 'one'
  const filled = what.replace(/\{(\w+)\}/g, (_, field: string) => String(details[field] ?? unnamed))
  return `${by === null ? system : nameOf(by)} ${filled}`
}

/** Lists what else is known: a change's fields, with both values if the log has them. */
export function auditDetails({ action, target, details }: AuditEntry): string[] {
  if (action === 'settings.changed') {
    return Object.entries(details).map(([field, change]) => {
      const { from, to } = change as { from?: unknown; to?: unknown }
      return from === undefined && to === undefined ? field : `${field}: ${shown(from)} → ${shown(to)}`
    })
  }
  const more = Object.entries(details)
    .filter(([field]) => field !== 'name' && field !== 'title')
    .map(([field, value]) => `${field}: ${shown(value)}`)
  return target === null ? more : [target, ...more]
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
