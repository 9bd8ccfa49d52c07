/** The code for attachments and for stopped messages, in one module so that it loads at once. */
export { Stopped } from '../stopped.tsx'
export { AttachmentView } from './attachment.tsx'
export { deviceStore } from './device-store.ts'
export { openDraft } from './draft.ts'
export { openAttachments, openVisitorAttachments } from './open.ts'
export { Tray } from './tray.tsx'
export { UploadState } from './upload-state.tsx'
