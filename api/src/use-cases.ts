import type { ShippedTexts } from '@proctorpass/shared/shipped-texts'
import type { ServerEntry } from '@proctorpass/shared/ssr'
import { createAudit } from './audit/audit.ts'
import { createAuth } from './auth/auth.ts'
import { createConfirmation } from './auth/confirmation.ts'
import { createFaces } from './auth/faces.ts'
import { createFactorChanges } from './auth/factor-change.ts'
import { createOwnFactors } from './auth/factors.ts'
import { createKeys } from './auth/keys.ts'
import { createOwnAccount } from './auth/own-account.ts'
import { createOwnPasskeys } from './auth/own-passkeys.ts'
import { createPasskeys } from './auth/passkeys.ts'
import { relyingPartyOf } from './auth/relying-party.ts'
import { createSignInLimits } from './auth/sign-in-limits.ts'
import { createTeam } from './auth/team.ts'
import { createAttachments } from './chat/attachments.ts'
import { createChat } from './chat/chat.ts'
import { IGNORE_FACTS } from './chat/listeners.ts'
import { createRetention } from './chat/retention.ts'
import { createBlogs } from './content/blogs.ts'
import { createPostCleaner } from './content/clean-post.ts'
import { createContacts } from './content/contacts.ts'
import { createContentRevision } from './content/content-revision.ts'
import { createPostHistory, createPostVersions } from './content/post-versions.ts'
import { createPostPresenter } from './content/present-post.ts'
import { createPreviewLinks } from './content/preview-links.ts'
import { createReplies } from './content/replies.ts'
import { createReviews } from './content/reviews.ts'
import { createSamples } from './content/samples.ts'
import { createPasswords } from './credentials/passwords.ts'
import { createSeal } from './credentials/sealed-text.ts'
import { createKeyedHash } from './credentials/store-secret.ts'
import type { Env } from './env/env.ts'
import { createEvents } from './events/events.ts'
import { createWebhooks } from './events/webhooks.ts'
import { createJobs } from './jobs/jobs.ts'
import { createLanguages } from './languages/languages.ts'
import type { CounterFactory } from './limits/counters.ts'
import { type DiskSpace, guardDiskSpace } from './limits/disk-space.ts'
import { createLimits } from './limits/limits.ts'
import { networkOf } from './limits/networks.ts'
import { createMailAdmins, createMailDisabled, createMailInvitation } from './mail/admin-mails.ts'
import { factorMailJob } from './mail/factor-mails.ts'
import { createLinks } from './mail/links.ts'
import { handleMails } from './mail/mail-jobs.ts'
import type { Mailer } from './mail/mailer.ts'
import { visitorMailJob } from './mail/visitor-mails.ts'
import { createWeeklyMails } from './mail/weekly-mails.ts'
import type { Metrics } from './metrics/metrics.ts'
import { alertJob } from './notifications/alerts.ts'
import { createNotifications } from './notifications/notifications.ts'
import { createDeriver } from './reports/deriver.ts'
import { createNowChanges } from './reports/now-changes.ts'
import { createReportUseCases } from './reports/report-use-cases.ts'
import { createSuggestions } from './reports/suggestions.ts'
import { createSavedSearches } from './search/saved-searches.ts'
import { createSearch } from './search/search.ts'
import { createAnswerTimes } from './settings/answer-times.ts'
import { createChatState } from './settings/chat-state.ts'
import { createSettings } from './settings/settings.ts'
import { createShownTeam } from './settings/shown-team.ts'
import { createContinuity } from './sites/continuity.ts'
import { createIdentities } from './sites/identify.ts'
import { createSiteTests } from './sites/site-tests.ts'
import { createSites } from './sites/sites.ts'
import type { Stores } from './storage/model/storage.ts'
import { createTextUseCases } from './texts/text-use-cases.ts'
import { createUploads } from './uploads/uploads.ts'

interface Dependencies {
  env: Env
  stores: Stores
  /** Null if the store is not on this machine's disk. */
  disk: DiskSpace | null
  counters: CounterFactory
  /** Observes the store, the limits, the chat, and the pushes from outside. */
  metrics: Pick<Metrics, 'chat' | 'files' | 'limits' | 'push' | 'storage'> | null
  /** Null if no mail is sent. */
  mailer: Mailer | null
  now: () => number
  /** Whether no other process uses the store. */
  isAlone: boolean
  /** How often the server looks for due jobs, in milliseconds. */
  lookEveryMs: number
  /** Whether a visitor has an open socket, on any node. */
  isOnline: (clientId: string) => boolean
  /** Whether any admin has an open socket, on any node. */
  isAnyAdminOnline: () => boolean
  /** Whether a visible tab of the admin shows the conversation, on any node. */
  isViewing: (userId: string, clientId: string) => boolean
  /** Counts the visitors online on all nodes. Returns null while browsers poll. */
  visitorsOnline: () => number | null
  /** Resolves to the pages' entry; null if another server has the pages. */
  pageEntry: () => Promise<ServerEntry | null>
  /** By default, the texts that this release ships. */
  shippedTexts?: ShippedTexts | undefined
}

export function createUseCases({
  env,
  stores,
  disk,
  counters,
  metrics,
  mailer,
  now,
  isAlone,
  lookEveryMs,
  isOnline,
  isAnyAdminOnline,
  isViewing,
  visitorsOnline,
  pageEntry,
  shippedTexts,
}: Dependencies) {
  const observe = metrics ?? UNOBSERVED
  const observed = {
    storage: observe.storage(stores.storage),
    uploadFiles: observe.files(stores.uploadFiles, 'uploads'),
    attachmentFiles: observe.files(stores.attachmentFiles, 'attachmentFiles'),
  }
  const stored = disk === null ? observed : guardDiskSpace(observed, disk)
  /** The store as use cases see it, with its calls counted and a guard against a full disk. */
  const { storage, uploadFiles, attachmentFiles } = stored
  const limits = observe.limits(createLimits({ enabled: env.rateLimits, counters }))
  const search = createSearch({ storage, limits, now })
  const nowChanges = createNowChanges()
  const deriver = createDeriver({
    ...{ storage, now, onSums: nowChanges.changed },
    onPurge: () => reports.forgetSums(),
  })
  storage.onStored(deriver.stored)
  storage.onStored(nowChanges.stored)

  const hash = createKeyedHash(storage.documents)
  const passwords = createPasswords()
  const jobs = createJobs({ jobs: storage.jobs, now, lookEveryMs, isAlone })
  const signInLimits = createSignInLimits({
    ...{ enabled: env.rateLimits, limits, counters },
    onManyWrongCodes(userId) {
      if (mailer !== null) jobs.scheduleLater(factorMailJob(userId, 'codes.wrong', now()))
    },
  })
  const seal = createSeal({ secret: env.jwtSecret, previousSecret: env.jwtSecretPrevious })
  const { contentRevision, languages, on, settings } = createChanging({ env, storage, mailer, now })
  settings.onChanged(nowChanges.changed)
  const needsFactor = async () => (await settings.current()).secondFactor === 'required'
  const relyingParty = relyingPartyOf(env.publicUrl)
  const passkeys = createPasskeys({ storage, limits, signInLimits, relyingParty, now })
  const auth = createAuth({
    storage,
    passwords,
    secret: env.jwtSecret,
    previousSecret: env.jwtSecretPrevious,
    limits: signInLimits,
    passkeys,
    seal,
    needsFactor,
    now,
  })
  const factorChanges = createFactorChanges({
    ...{ sessions: auth.sessions, needsFactor },
    changed(userId, what) {
      const change = 'details' in what ? (`${what.action} ${what.details.kind}` as const) : what.action
      if (mailer !== null) jobs.scheduleLater(factorMailJob(userId, change, now()))
    },
  })
  const ownFactors = { storage, changes: factorChanges, relyingParty, brand: env.brand, now }
  // Posts show their authors' names.
  storage.onStored(({ kind }) => {
    if (kind === 'user') void contentRevision.changed()
  })
  const uploads = createUploads({ files: uploadFiles, isUsed: isShownIn(storage), now })
  const ownOrigin = new URL(env.publicUrl).origin
  const clean = createPostCleaner(ownOrigin)
  const present = createPostPresenter({ storage, clean, brand: env.brand, now })
  const history = createPostHistory({ storage, uploads })
  const posts = { storage, history, contentRevision, clean, present, ...on, now }
  const blogs = createBlogs({ ...posts, uploads })
  const whole = { ...posts, env, uploads, blogs, shipped: shippedTexts, languages }
  const texts = createTextUseCases(whole)
  const { answered, waitMinutes } = createAnswerTimes({ storage, settings, now })
  const { supportEmail, uploadsMaxBytes } = env
  const attachments = createAttachments({
    ...{ storage, files: attachmentFiles, limits, settings, supportEmail, uploadsMaxBytes, now },
  })
  const notifications = createNotifications({
    ...{ storage, sessions: auth.sessions, jobs, limits, rateLimits: env.rateLimits },
    ...{ hash, settings, isViewing, now },
    ...{ hosts: env.pushHosts, publicUrl: env.publicUrl, supportEmail },
    mailAdmins: mailer === null ? null : createMailAdmins({ ...env, mailer }),
    observed: observe.push,
  })
  const sites = createSites({ storage, seal, isKnownLanguage: languages.isKnown, now })
  const chat = observe.chat(
    createChat({
      ...{ storage, settings, attachments, limits, now, isOnline, answered, supportEmail },
      ...{ transport: env.chatTransport, brand: env.brand },
      jobOf: async (message) => {
        const { clientId, address, at } = message
        if (address === null) return mailer && visitorMailJob(message)
        return alertJob(clientId, at, await hash('network', networkOf(address)))
      },
      onNote: notifications.noteAdded,
      findSite: sites.find,
      keepFigures: deriver.keepFigures,
    }),
  )
  chat.listen({ ...IGNORE_FACTS, activityCreated: notifications.activityCreated })
  const links = createLinks({ storage, hash, limits, answersByMail: env.inbound !== null, now })
  if (mailer !== null) {
    const { textsFor } = languages
    const mails = { storage, hash, mailer, links, isOnline, findSite: sites.find, textsFor, now }
    handleMails(jobs, env, { ...mails, activityStored: chat.inbox.activityStored })
  }
  const team = createTeam({
    ...{ storage, auth, passwords, limits: signInLimits, publicUrl: env.publicUrl, now },
    mailInvitation: mailer === null ? null : createMailInvitation({ mailer, brand: env.brand }),
    takeInvitation: (userId) => limits.take('invitation', userId),
  })
  const reports = createReportUseCases({ storage, settings, limits, deriver, team, visitorsOnline, now })
  const weeklyMails = createWeeklyMails({
    ...{ ...env, storage, jobs, settings },
    ...{ reports, limits, hash, mailer, now },
  })
  const events = createEvents({ storage, now })
  const mailDisabled = mailer === null ? null : createMailDisabled({ ...env, mailer })
  return {
    storage,
    limits,
    jobs,
    notifications,
    settings,
    languages,
    chatState: createChatState({
      ...{ settings, languages, waitMinutes, mail: mailer !== null, isAdminOnline: isAnyAdminOnline, now },
      shownTeam: createShownTeam({ storage, isOnline: team.isOnline }),
    }),
    attachments,
    chat,
    /** See `createRetention`. */
    startRetention: createRetention({ jobs, settings, storage, chat, now }),
    audit: createAudit({ storage, jobs, days: env.auditDays, now }),
    auth,
    account: createOwnAccount({
      ...{ storage, sessions: auth.sessions, passwords, limits: signInLimits },
      weekly: weeklyMails.mailing,
    }),
    faces: createFaces({ storage, files: uploads }),
    confirm: createConfirmation({
      ...{ storage, sessions: auth.sessions, passwords, passkeys, limits: signInLimits, seal, now },
    }),
    factors: createOwnFactors({ ...ownFactors, seal }),
    passkeys: createOwnPasskeys(ownFactors),
    team,
    keys: createKeys({ storage, limits, now }),
    ...{ contentRevision, uploads, blogs, ...texts },
    postVersions: createPostVersions(posts),
    previewLinks: createPreviewLinks({ storage, limits, present, publicUrl: env.publicUrl, now }),
    reviews: createReviews({ storage, contentRevision, limits, publicReviews: env.publicReviews, now }),
    contacts: createContacts({ storage, limits, now }),
    replies: createReplies({ storage, now }),
    samples: createSamples({ storage, contentRevision }),
    search,
    savedSearches: createSavedSearches({ storage, search, limits, now }),
    deriver,
    reports,
    nowChanges,
    suggestions: createSuggestions({
      ...{ storage, settings, limits, deriver, pageEntry, ...texts, now },
    }),
    links,
    weeklyMails,
    sites,
    siteTests: createSiteTests({ storage, sites, now }),
    continuity: createContinuity({ storage, sites, limits, now }),
    identities: createIdentities({
      ...{ storage, sites, limits, now },
      visitorChanged: chat.visitors.changed,
      activityStored: chat.inbox.activityStored,
    }),
    events,
    webhooks: createWebhooks({ storage, events, jobs, seal, hosts: env.webhookHosts, mailDisabled, now }),
  }
}

/** Whether a post, a text, one of their versions, or an admin shows the image at this URL. */
function isShownIn({ blogs, versions, users }: Pick<Stores['storage'], 'blogs' | 'versions' | 'users'>) {
  return async (url: string): Promise<boolean> =>
    (await blogs.refersTo(url)) ||
    (await versions.refersTo(url)) ||
    (await users.list()).some(({ face }) => face === url)
}

export type UseCases = ReturnType<typeof createUseCases>

/** Creates what changes while the server runs and pages show: content, languages, and settings. */
function createChanging({
  env,
  storage,
  mailer,
  now,
}: Pick<Dependencies, 'env' | 'mailer' | 'now'> & { storage: Stores['storage'] }) {
  const { cameDue } = storage.blogs
  const contentRevision = createContentRevision(storage.contentRevision, { cameDue, now })
  const languagesOn = async (): Promise<readonly string[]> => (await settings.current()).languages
  const languages = createLanguages({
    ...{ storage, dataDir: env.dataDir, contentRevision, now },
    switchedOn: languagesOn,
  })
  const { isKnown: isKnownLanguage } = languages
  const settings = createSettings({ storage, mail: mailer !== null, isKnownLanguage, now })
  const isOn = async (lang: string) => (await languagesOn()).includes(lang)
  let shown: string | undefined
  settings.onChanged(({ languages: on }) => {
    const before = shown
    shown = on.join()
    // Answers in a language that is switched off are in the caches.
    if (before !== shown) void contentRevision.changed()
  })
  return { contentRevision, languages, on: { isOn, languagesOn }, settings }
}

const UNOBSERVED: NonNullable<Dependencies['metrics']> = {
  chat: (chat) => chat,
  limits: (limits) => limits,
  push: (send) => send,
  storage: (storage) => storage,
  files: (files) => files,
}
