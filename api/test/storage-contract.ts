import { afterEach, beforeEach, describe } from 'vitest'
import type { Storage } from '../src/storage/model/storage.ts'
import { describeAccounts } from './storage-contract/accounts.ts'
import { describeAddresses } from './storage-contract/addresses.ts'
import { describeAnswers } from './storage-contract/answers.ts'
import { describeApiKeys } from './storage-contract/api-keys.ts'
import { describeAttachments } from './storage-contract/attachments.ts'
import { describeAudit } from './storage-contract/audit.ts'
import { describeBlocksAndRatings } from './storage-contract/blocks-and-ratings.ts'
import { describeBlogs } from './storage-contract/blogs.ts'
import { describeContacts } from './storage-contract/contacts.ts'
import { describeConversationSites } from './storage-contract/conversation-sites.ts'
import { describeConversations } from './storage-contract/conversations.ts'
import { describeDurability } from './storage-contract/durability.ts'
import { describeEdits } from './storage-contract/edits.ts'
import { describeEndpoints } from './storage-contract/endpoints.ts'
import { describeEvents } from './storage-contract/events.ts'
import { describeImports } from './storage-contract/imports.ts'
import { describeInbox } from './storage-contract/inbox.ts'
import { describeInboxModel } from './storage-contract/inbox-model.ts'
import { describeJobs } from './storage-contract/jobs.ts'
import { describeLanguages } from './storage-contract/languages.ts'
import { describeLinks } from './storage-contract/links.ts'
import { describeLists } from './storage-contract/lists.ts'
import { describeMessages } from './storage-contract/messages.ts'
import { describePreviewLinks } from './storage-contract/preview-links.ts'
import { describeReplies } from './storage-contract/replies.ts'
import { describeReports } from './storage-contract/reports.ts'
import { describeReviews } from './storage-contract/reviews.ts'
import { describeSamples } from './storage-contract/samples.ts'
import { describeSavedSearches } from './storage-contract/saved-searches.ts'
import { describeScheduled } from './storage-contract/scheduled.ts'
import { describeSearch } from './storage-contract/search.ts'
import { describeSeenMarks } from './storage-contract/seen-marks.ts'
import { describeSites } from './storage-contract/sites.ts'
import { describeSpam } from './storage-contract/spam.ts'
import { storeUnderTest } from './storage-contract/store-under-test.ts'
import { describeSubscriptions } from './storage-contract/subscriptions.ts'
import { describeSuggestions } from './storage-contract/suggestions.ts'
import { describeTexts } from './storage-contract/texts.ts'
import { describeVisitorKeys } from './storage-contract/visitor-keys.ts'
import { describeVisitors } from './storage-contract/visitors.ts'

/** What every adapter must do. `open` opens the same store again after a close; `reset` empties it. */
interface StorageAdapter {
  open: () => Promise<Storage>
  reset: () => Promise<void>
  /** The titles of tests that the database below the adapter cannot pass, and the reason. */
  leftOut?: Readonly<Record<string, string>>
}

export function describeStorage(name: string, { open, reset, leftOut = {} }: StorageAdapter): void {
  describe(`${name} storage`, () => {
    let storage: Storage
    beforeEach(async ({ task, skip }) => {
      await reset()
      storage = await open()
      const reason = leftOut[task.name]
      if (reason !== undefined) skip(reason)
    })
    afterEach(() => storage.close())

    const store = storeUnderTest(
      () => storage,
      async () => {
        await storage.close()
        storage = await open()
      },
    )
    describeMessages(store)
    describeAttachments(store)
    describeConversations(store)
    describeImports(store)
    describeInbox(store)
    describeInboxModel(store)
    describeSpam(store)
    describeScheduled(store)
    describeEdits(store)
    describeBlocksAndRatings(store)
    describeSeenMarks(store)
    describeVisitorKeys(store)
    describeVisitors(store)
    describeAccounts(store)
    describeLists(store)
    describeBlogs(store)
    describePreviewLinks(store)
    describeReviews(store)
    describeContacts(store)
    describeReplies(store)
    describeLanguages(store)
    describeSavedSearches(store)
    describeReports(store)
    describeAddresses(store)
    describeAnswers(store)
    describeSuggestions(store)
    describeTexts(store)
    describeAudit(store)
    describeSamples(store)
    describeJobs(store)
    describeLinks(store)
    describeApiKeys(store)
    describeEvents(store)
    describeEndpoints(store)
    describeSubscriptions(store)
    describeSites(store)
    describeConversationSites(store)
    describeSearch(store)
    describeDurability(store)
  })
}
