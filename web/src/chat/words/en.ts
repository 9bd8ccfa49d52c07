import type { ErrorCode } from '@proctorpass/shared/errors'

// These are all the widget's texts, in parts. A part is loaded with the chunk that shows it. `{brand}` is the
// business's name. See docs/ARCHITECTURE.md for how to add a language.

/** The button in the corner. */
export const launcher = {
  /** The script's direction, for all parts. */
  dir: 'ltr' as 'ltr' | 'rtl',
  name: 'Live chat',
  /** Follows the name. */
  unread: (count: number) => (count === 1 ? ', 1 unread message' : `, ${count} unread messages`),
  hasMessages: ', you have messages',
  heading: 'Welcome to {brand}, Solution For Proctored Exams',
  greeting: "Hi! Tell us which exam you're taking and what worries you. A real person will reply here.",
  quickReplies: 'Suggested messages',
  /** The text on the card for a visitor who has a conversation. */
  continuation: 'Continue your conversation',
  dismiss: 'Dismiss',
  loading: 'Loading chat...',
  failed: "The chat couldn't be loaded.",
  retry: 'Try again',
}

/** The card that opens by itself. */
export const card = {
  /** Shown if an admin is connected. */
  online: "We're online",
}

/** Messages and the message box, which the dashboard shows too, always in English. */
export const view = {
  you: 'You',
  box: 'Your message',
  placeholder: 'Type your message...',
  required: 'Message is required',
  tooLong: (length: string, max: string) =>
    `This message is too long: ${length} of at most ${max} characters.`,
  charactersLeft: (count: number) => (count === 1 ? '1 character left' : `${count} characters left`),
  send: 'Send',
  sending: 'Sending...',
  sent: 'Sent',
  seen: 'Seen',
  edited: 'edited',
  refused: "This message couldn't be sent.",
  retry: 'Retry',
  discard: 'Discard',
  copy: 'Copy',
  copied: 'Copied',
  copyFailed: "Couldn't copy",
  older: 'Older messages',
  loadingOlder: 'Loading older messages...',
  olderFailed: "Couldn't load older messages. Try again",
  newMessages: (count: number) => (count === 1 ? '1 new message' : `${count} new messages`),
  newLine: 'New',
  typing: (name: string) => `${name} is typing...`,
  relativeTimes: 'Show relative times',
  exactTimes: 'Show exact times',
  less: 'Show less',
  more: 'Show more',
}

/** Other texts in the open panel. */
export const panel = {
  footer: 'Powered by {brand} - Online Support',
  channels: 'Other ways to reach us',
  loading: 'Loading chat...',
  connecting: 'Connecting...',
  connected: 'Connected',
  /** Shown if an admin is connected. */
  online: "We're online",
  /** Shown if no admin is connected. */
  away: "We're away. Leave a message.",
  /** Shown outside the opening hours. */
  back: (day: string, time: string) => `We're away. Back ${day} at ${time} your time.`,
  wait: (minutes: number) => `Usually answers in about ${minutes === 1 ? '1 minute' : `${minutes} minutes`}`,
  offline: "You're offline. Your messages will be sent when you're back online.",
  unreachable: "We can't reach the server. We'll keep trying.",
  messages: 'Messages',
  /** Stands for a message that is an image without words. */
  photo: 'Photo',
  support: 'Support',
  newMessage: 'You have a new message!',
  more: 'More',
  close: 'Close chat',
  loadFailed: "This couldn't be loaded. Try again.",
}

/** Menu, forms, and dialogs, which are loaded on first use. */
export const later = {
  /** Stands above pages' titles while the visitor types. */
  suggestions: 'These might help',
  back: 'Back to the chat',
  about: 'Tell us about your exam',
  mute: 'Mute sounds',
  language: 'Language',
  download: 'Download this conversation',
  downloadData: 'Download as JSON',
  pageTitle: 'Your conversation with {brand}',
  pageTimes: (time: string, zone: string) => `Saved on ${time}. Times are in the time zone ${zone}.`,
  /** The file's name without an extension. */
  fileName: 'conversation',
  erase: 'Erase this conversation',
  eraseTitle: 'Erase this conversation?',
  eraseText:
    "This deletes all messages, files, and details you gave us, for both sides. This can't be undone.",
  eraseConfirm: 'Erase',
  erased: 'Conversation erased',
  save: 'Save',
  cancel: 'Cancel',
  aboutIntro: 'This helps us be there on time. Everything is optional.',
  aboutIntroBefore:
    "This helps us be there on time. Everything is optional. We'll keep it with your first message.",
  aboutSaved: "Thanks. We'll keep this with your conversation.",
  name: 'Name',
  email: 'Email',
  exam: 'Exam date and time',
  optional: (label: string) => `${label} (optional)`,
  /** Stands below the email address to which answers are mailed. */
  mailHint: "If you leave, we'll email our reply to this address.",
  mailTo: "If you leave, we'll email our reply to {email}.",
  mailOff:
    'You unsubscribed from emails to this address. To get them again, open the Unsubscribe link in one of them. Or enter another address.',
  mailOffer: "You don't have to wait here. Where can we email our reply?",
  zone: (name: string) => `Your time zone: ${name}`,
  nameRequired: 'Name is required',
  nameWrong: 'Use 80 characters or fewer, on one line, without links or email addresses',
  emailRequired: 'Email is required',
  emailWrong: 'Enter a valid email address',
  examRequired: 'Exam date and time is required',
  examWrong: 'Enter a date and time',
  examFar: 'Enter a date within two years',
  preChat: 'Before your first message',
  rating: 'Was this helpful?',
  scores: ['Not at all', 'A little', 'Partly', 'Mostly', 'Very much'],
  ratingWords: 'Anything to add? (optional)',
  ratingSend: 'Send rating',
  ratingRequired: 'Choose a rating',
  ratingThanks: 'Thanks for your rating!',
  tooLong: 'Use 1,000 characters or fewer',
  failed: 'something went wrong',
  unreachable: "We can't reach the server. Try again.",
  offline: 'You seem to be offline. Try again.',
}

/**
 * Texts by the error's code. Without one, the server's own text is shown, which is English. `{supportEmail}` is
 * replaced. English has none, because the server's texts serve; this object gives the other languages their type.
 * @public
 */
export const refusals: Partial<Record<ErrorCode, string>> = {}

/** The button that attaches files. */
export const attach = {
  name: 'Attach a file',
  wait: 'Wait until the files are ready',
  loadFailed: "Files can't be attached right now. Check your connection and try again.",
}

/** Messages' files: chosen, uploading, and sent. The dashboard shows them too, always in English. */
export const files = {
  drop: 'Drop files to attach them',
  list: 'Files to send',
  remove: (name: string) => `Remove ${name}`,
  wrongType: (name: string) => `${name} can't be sent. You can send PNG, JPEG, WebP, and PDF files.`,
  tooLarge: (name: string) => `${name} is larger than 10 MB.`,
  convert: (name: string, kind: string) =>
    `${name} is ${kind}, which can't be sent. Save it as JPEG and attach that file.${
      kind === 'HEIC'
        ? ' An iPhone takes photos as JPEG with Settings > Camera > Formats > Most Compatible.'
        : ''
    }`,
  tooManyPixels: (name: string) => `${name} has more than 40 megapixels.`,
  tooLong: (name: string) => `${name} is longer than 65,535 pixels. Cut it into parts.`,
  unreadable: (name: string) => `${name} couldn't be read.`,
  empty: (name: string) => `${name} is empty. Choose it again once it is on your device.`,
  tooMany: (max: string) => `You can send at most ${max} files in one message.`,
  noRoom: (name: string) =>
    `This browser couldn't keep ${name}. Its storage is full, or this is a private window.`,
  notice: 'Before you attach a file',
  choose: 'Choose files',
  agree: 'Attach',
  cancel: 'Cancel',
  progress: 'Upload',
  uploading: (percent: string) => `Uploading... ${percent}`,
  canceled: 'Upload canceled.',
  without: (name: string) => `Send without ${name}`,
  open: (name: string) => `Open ${name}`,
  save: 'Download',
  close: 'Close',
  failed: "Couldn't load",
  tryAgain: 'Try again',
}

/** The pages behind a mail's links. */
export const mailed = {
  title: 'Your conversation',
  text: 'This opens your conversation with {brand} on this device. It stays open on your other devices.',
  continue: 'Continue this conversation',
  otherTitle: 'This device has another conversation',
  otherText: 'If you continue the one from the email, you can no longer open the other one on this device.',
  replace: 'Continue the one from the email',
  keep: 'Keep the one on this device',
  unsubscribe: 'Unsubscribe',
  unsubscribeText: 'Stop all live chat emails from {brand} to this address?',
  unsubscribed: 'Unsubscribed',
  unsubscribedText:
    "We won't send live chat emails to this address anymore. Our replies are still in the chat.",
  subscribe: 'Get emails again',
  subscribed: 'Subscribed',
  subscribedText: "We'll email this address again when you haven't seen a reply.",
  deadTitle: "This link doesn't work",
  deadText:
    "It's unknown or has expired. Links to a conversation work for 7 days. Open our latest email, or write to {email}.",
  home: 'Go to the home page',
  failed: 'Something went wrong',
  unreachable: "We can't reach the server. Try again.",
}
