// This module holds what the open panel needs later, because small files compress worse, and bad networks lose some.
export { MoreMenu } from './more-menu.tsx'
export { AnswerByMail } from './profile/answer-by-mail.tsx'
export { PreChat, QuickReplies } from './profile/pre-chat.tsx'
export { Rating } from './rating.tsx'
