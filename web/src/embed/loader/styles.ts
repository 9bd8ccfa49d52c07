import type { LoaderSite } from '@proctorpass/shared/embed'

/** Up to this width, the panel is shown as a sheet. */
export const SHEET = '(max-width:480px)'

/**
 * Returns the style sheet. In a shadow root, `!important` takes precedence over the page's, and `all` covers every
 * property, so the host is an empty box that takes no space. The z-index is the largest possible.
 */
export function styles({ look: { color, side, offset }, iconColor }: LoaderSite): string {
  // If the page is zoomed, the panel's top would be outside the screen.
  const zoom = 1 / (document.documentElement.currentCSSZoom || 1)
  const at = (bottom: number) =>
    `position:fixed;zoom:${zoom};${side}:calc(${offset.x}px + env(safe-area-inset-${side},0px));bottom:calc(${bottom}px + env(safe-area-inset-bottom,0px))`
  return `:host{all:initial!important;position:fixed!important;z-index:2147483647!important;color-scheme:light dark!important;font:16px/1.4 system-ui!important}
[hidden],span:empty{display:none!important}
button{cursor:pointer;border:1px solid transparent;font:inherit;font-weight:600}
button:focus-visible{outline:2px solid #fff;box-shadow:0 0 0 5px #111}
svg{flex:none;width:24px;height:24px;fill:none;stroke:currentColor;stroke-width:1.8;stroke-linecap:round}
.launcher{${at(offset.y)};display:flex;gap:8px;align-items:center;justify-content:center;min-width:56px;max-width:calc(100vw - 16px);height:56px;padding:0 15px;border-radius:28px;background:${color};color:${iconColor};box-shadow:0 2px 10px #0004}
@media print{:host{display:none!important}}
.badge{position:absolute;top:-4px;${side}:-4px;min-width:10px;padding:0 6px;border-radius:11px;background:#c4281d;color:#fff;font-size:13px;line-height:22px}
.panel{${at(offset.y + 68)};width:min(384px,calc(100vw - ${offset.x + 8}px));height:min(608px,calc(100dvh - ${offset.y + 76}px));border-radius:16px;overflow:hidden;background:Canvas;color:CanvasText;box-shadow:0 2px 10px #0004}
@media (max-height:480px){.panel{bottom:8px;height:calc(100dvh - 16px)}}
.panel.sheet{inset:0;width:100%;height:100%;border-radius:0}
iframe{display:block;width:100%;height:100%;border:0}
.wait iframe{visibility:hidden}
.note{position:absolute;inset:0;padding:20px 60px 0 20px}
:not(.wait)>.note{display:none}
.note button{position:absolute;top:8px;right:8px;width:44px;height:44px;padding:9px;background:none;color:inherit}
@media (forced-colors:active){button{border-color:ButtonText}.panel{outline:1px solid}.badge{background:Mark;color:MarkText;forced-color-adjust:none}}`
}
