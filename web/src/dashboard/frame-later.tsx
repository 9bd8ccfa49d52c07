export { MenuFoot } from './menu-foot.tsx'
export { UpdatesBell } from './updates-bell.tsx'
