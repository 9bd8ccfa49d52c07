// These groups say which modules share a file in the client build, because chunks of a few hundred bytes would each
// cost a request.

interface Chunks {
  name: string
  test: RegExp
  /** If two groups match a module, the one with the higher priority gets it. */
  priority: number
  includeDependenciesRecursively?: false
}

/** The groups that load on the first use of the open chat. */
const LATER: Chunks[] = [
  // Message files need these modules. They are in one file, because each of its chunks' names would be part of the code
  // that loads it.
  {
    name: 'files',
    test: /virtual:words\/files|src[\\/](chat[\\/](engine[\\/](conversation-attachments|attachment-uploads)|view[\\/](attachments[\\/](?!attach-)|stopped))|lib[\\/](file-size|send-form))/,
    includeDependenciesRecursively: false,
    priority: 1,
  },
  // The open panel needs these modules later.
  {
    name: 'later',
    test: /virtual:words\/later|src[\\/]chat[\\/](widget[\\/](adopt-visitor|chat-dialog|chat-form|erase-dialog|failure-text|later|more-menu|profile[\\/](?!use-|trail)|rating)|language[\\/]choose-language)|shared[\\/]src[\\/]fields[\\/]rating\./,
    includeDependenciesRecursively: false,
    priority: 1,
  },
  // Suggestions need the search while a visitor types.
  {
    name: 'suggestions',
    test: /src[\\/]chat[\\/]widget[\\/]suggest[\\/]|ufuzzy|shared[\\/]src[\\/](fold|tokenizer)\./,
    includeDependenciesRecursively: false,
    priority: 1,
  },
  // An admin's first message with marks needs this.
  {
    name: 'formatted-text',
    test: /src[\\/](chat[\\/]view[\\/](formatted-text|keep-in-view)|formatted-text)\./,
    includeDependenciesRecursively: false,
    priority: 1,
  },
  // The head needs this if the settings show the team.
  {
    name: 'team',
    test: /src[\\/]chat[\\/]widget[\\/]team\./,
    includeDependenciesRecursively: false,
    priority: 1,
  },
  // A visitor with a conversation needs this on each page.
  {
    name: 'trail',
    test: /src[\\/]chat[\\/]widget[\\/]profile[\\/]trail\./,
    includeDependenciesRecursively: false,
    priority: 1,
  },
]

/**
 * The groups for the site and the dashboard. Everything that every page needs is in two files, `react` and the entry.
 */
export const PAGE_CHUNKS: Chunks[] = [
  {
    name: 'react',
    test: /node_modules[\\/](react|react-dom|react-router|scheduler)[\\/]/,
    priority: 2,
  },
  ...LATER,
  // These load if the settings have cards to show.
  {
    name: 'cards',
    test: /src[\\/]chat[\\/]widget[\\/]cards[\\/]follow-cards\.|shared[\\/]src[\\/]card-path\./,
    includeDependenciesRecursively: false,
    priority: 1,
  },
  // The card includes the quick replies, which the panel shows too.
  {
    name: 'card',
    test: /virtual:words\/launcher\.(quickReplies|dismiss)|src[\\/]chat[\\/]widget[\\/](card|cards[\\/]shown-card|quick-replies)\./,
    includeDependenciesRecursively: false,
    priority: 1,
  },
  // The chat's forms and forms for admins share these modules.
  {
    name: 'fields',
    test: /(shared[\\/]src[\\/](fields[\\/](name|profile)|iso-time)|web[\\/]src[\\/]lib[\\/]error-message)\./,
    includeDependenciesRecursively: false,
    priority: 1,
  },
  // The chat and dashboard pages need these modules for a file.
  {
    name: 'file-tools',
    test: /shared[\\/]src[\\/]file-kind\.|web[\\/]src[\\/]lib[\\/](file-size|save-file)\./,
    includeDependenciesRecursively: false,
    priority: 1,
  },
  // These are the routes, and what the home page shares with other pages.
  {
    name: 'site',
    test: /src[\\/](routes\.tsx|lib[\\/]before-router\.ts|forms[\\/]contact-form\.tsx|components[\\/](post-card|review-card|support-mail|ways)\.tsx)$/,
    priority: 2,
  },
  // The other pages share these modules.
  {
    name: 'parts',
    test: /src[\\/]components[\\/](pager|post-content|related-posts|text-html)\./,
    includeDependenciesRecursively: false,
    priority: 1,
  },
  // The other pages and the suggestions show HTML with these modules.
  {
    name: 'html',
    test: /src[\\/]lib[\\/](trusted-html|worker-messages)\.|shared[\\/]src[\\/]trusted-types\./,
    includeDependenciesRecursively: false,
    priority: 1,
  },
  // The launcher shares these modules with the panel. In the panel's group, they would make it load the panel's files.
  {
    name: 'launcher',
    test: /virtual:words\/launcher$|shared[\\/]src[\\/]choose-language\.|src[\\/]chat[\\/](language[\\/]language\.|widget[\\/](after-frame|launcher|sheet-history))/,
    includeDependenciesRecursively: false,
    priority: 1,
  },
  // The chat shares these modules with the dashboard. They are in one file, because several files compress worse.
  {
    name: 'chat',
    test: /src[\\/](chat[\\/](engine[\\/](?!admin-|socket-io|conversation-attachments|attachment-uploads)|view[\\/](?!attachments[\\/]|stopped)|alerts[\\/](?!tab-title|sounds[\\/]unread)|language[\\/](calendar-days|fill))|components[\\/](toast\.|use-media)|lib[\\/]visited-page|message-summary)/,
    priority: 0,
  },
  // The group above takes some of the panel's modules. The others stay together in one file.
  {
    name: 'panel',
    test: /virtual:words\/(launcher\.unread|panel$)|src[\\/]chat[\\/](widget[\\/](?!conversation-page)|language[\\/]back-text\.)/,
    includeDependenciesRecursively: false,
    priority: 0,
  },
  // Only dashboard pages share these modules, also in one file.
  {
    name: 'dashboard',
    test: /@tanstack[\\/](react-query|query-core)[\\/](?!.*(useMutation|mutationObserver))|src[\\/]dashboard[\\/](dashboard|menu|ui[\\/](loading|on-demand|page-heading|query-client|saved-searches|search-field|shortcuts|sites|team|use-close-on-back)|chats[\\/](changes[\\/]snooze-times|list[\\/]conversation-list|live[\\/](admin-chat-context|update-marks|visitor-name))|reviews[\\/]reviews)\./,
    priority: 0,
  },
  // The menus that ask for a time share these modules.
  {
    name: 'times',
    test: /src[\\/]dashboard[\\/]chats[\\/](compose[\\/](edit-scheduled|send-(anyway|later|menu))|changes[\\/]snooze-(menu|presets))\./,
    includeDependenciesRecursively: false,
    priority: 0,
  },
  // Several dashboard pages load these modules with a form, a list, or a dialog.
  {
    name: 'forms',
    test: /src[\\/](components[\\/]use-timed-text|dashboard[\\/](reviews[\\/]review-fields|ui[\\/](account|admin-form|ask-before-leaving|conflict|copy-box|dialog|dialog-end|empty-state|field|form-draft|paged-list|submit-button|use-delete))|metadata[\\/]canonical-path|fields[\\/]password|hours|device)\./,
    includeDependenciesRecursively: false,
    priority: 0,
  },
]

/**
 * The groups for the frame that shows the chat on another website. Browsers share none of its files with our own pages.
 */
export const FRAME_CHUNKS: Chunks[] = [
  ...LATER,
  { name: 'frame', test: /src[\\/]embed[\\/]frame\.tsx$/, priority: 0 },
]
