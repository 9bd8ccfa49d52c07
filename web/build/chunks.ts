// Which modules share a file of the client build: chunks of a few hundred bytes would cost a request each.

interface Chunks {
  name: string
  test: RegExp
  /** The group with the higher one gets a module that two match. */
  priority: number
  includeDependenciesRecursively?: false
}

/** Loaded by a first use of the open chat. */
const LATER: Chunks[] = [
  // What files of messages need, in one file: each name of a file is part of what loads it.
  {
    name: 'files',
    test: /src[\\/](chat[\\/](engine[\\/](conversation-attachments|attachment-uploads)|view[\\/](attachments[\\/](?!attach-)|stopped)|words[\\/]en\.ts\?files)|lib[\\/](file-size|send-form))/,
    includeDependenciesRecursively: false,
    priority: 1,
  },
  // What the open panel needs later.
  {
    name: 'later',
    test: /src[\\/]chat[\\/](widget[\\/](adopt-visitor|chat-dialog|chat-form|conversation-page|erase-dialog|failure-text|later|more-menu|profile[\\/](?!use-|trail)|rating)|language[\\/]choose-language|words[\\/]en\.ts\?later)/,
    includeDependenciesRecursively: false,
    priority: 1,
  },
  // The search while a visitor types, and what it searches in.
  {
    name: 'suggestions',
    test: /src[\\/]chat[\\/]widget[\\/]suggest[\\/](?!site-index)|ufuzzy|shared[\\/]src[\\/](fold|tokenizer)\./,
    includeDependenciesRecursively: false,
    priority: 1,
  },
  {
    name: 'suggested-pages',
    test: /site-index\.|\.md\?(article-)?terms/,
    includeDependenciesRecursively: false,
    priority: 1,
  },
  // What a visitor with a conversation needs on each page.
  {
    name: 'trail',
    test: /src[\\/]chat[\\/]widget[\\/]profile[\\/]trail\./,
    includeDependenciesRecursively: false,
    priority: 1,
  },
]

/** Of the site and the dashboard. What every page needs is in two files, `react` and the entry. */
export const PAGE_CHUNKS: Chunks[] = [
  {
    name: 'react',
    test: /node_modules[\\/](react|react-dom|react-router|scheduler)[\\/]/,
    priority: 2,
  },
  ...LATER,
  // When cards of the settings are shown.
  {
    name: 'cards',
    test: /src[\\/]chat[\\/]widget[\\/]cards[\\/]follow-cards\.|shared[\\/]src[\\/]card-path\./,
    includeDependenciesRecursively: false,
    priority: 1,
  },
  // The card, with the quick replies that the panel shows too.
  {
    name: 'card',
    test: /src[\\/]chat[\\/]widget[\\/](card|cards[\\/]shown-card|quick-replies)\./,
    includeDependenciesRecursively: false,
    priority: 1,
  },
  // What forms of visitors and admins share.
  {
    name: 'fields',
    test: /shared[\\/]src[\\/](fields[\\/](name|profile)|iso-time)\./,
    includeDependenciesRecursively: false,
    priority: 1,
  },
  { name: 'site', test: /src[\\/]routes\.tsx$/, priority: 1 },
  // What the launcher shares with the panel, or it would load the panel's files.
  {
    name: 'launcher',
    test: /src[\\/]chat[\\/](language[\\/]language\.|words[\\/]en\.ts\?launcher|widget[\\/](after-frame|launcher|sheet-history))/,
    includeDependenciesRecursively: false,
    priority: 1,
  },
  // One file with what the dashboard shares: several compress worse.
  {
    name: 'chat',
    test: /src[\\/](chat[\\/](engine[\\/](?!admin-|socket-io|conversation-attachments|attachment-uploads)|view[\\/](?!attachments[\\/]|stopped)|alerts[\\/](?!tab-title)|language[\\/]plural)|components[\\/](toast\.|use-media)|lib[\\/](error-message|visited-page)|message-summary)/,
    priority: 0,
  },
  // What the group above takes of it stays in one file with it.
  {
    name: 'panel',
    test: /src[\\/]chat[\\/](widget[\\/]|language[\\/]back-text\.ts$|words[\\/]en\.ts\?panel)/,
    includeDependenciesRecursively: false,
    priority: 0,
  },
  // The same for what only dashboard pages share.
  {
    name: 'dashboard',
    test: /@tanstack[\\/](react-query|query-core)[\\/](?!.*(useMutation|mutationObserver))|src[\\/]dashboard[\\/](menu|ui[\\/](loading|on-demand|page-heading|query-client|search-field|shortcuts|sites|team|use-close-on-back)|chats[\\/](changes[\\/]snooze-times|list[\\/]conversation-list|live[\\/](admin-chat-context|update-marks|visitor-name))|reviews[\\/]reviews)\./,
    priority: 0,
  },
  // And what several of them load with a form, a list or a dialog.
  {
    name: 'forms',
    test: /src[\\/](components[\\/]use-timed-text|dashboard[\\/](reviews[\\/]review-fields|ui[\\/](account|admin-form|ask-before-leaving|conflict|copy-box|dialog|dialog-end|empty-state|field|form-draft|paged-list|submit-button|use-delete))|metadata[\\/]canonical-path|fields[\\/]password|hours|device)\./,
    includeDependenciesRecursively: false,
    priority: 0,
  },
]

/** Of the frame that shows the chat on another website. A browser shares no file of it with pages of ours. */
export const FRAME_CHUNKS: Chunks[] = [
  ...LATER,
  { name: 'frame', test: /src[\\/]embed[\\/]frame\.tsx$/, priority: 0 },
]
