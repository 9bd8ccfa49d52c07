export { HomePage } from './home-page.tsx'
export { MenuFoot } from './menu-foot.tsx'
export { NotFoundPage } from './not-found-page.tsx'
export { UpdatesBell } from './updates-bell.tsx'
