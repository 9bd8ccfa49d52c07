/** Runs in the page. The frame and the page where they scroll sideways, and what scrolls down further than to its last shown content. */
export function emptyRoom(): string[] {
  const [frame, main] = [document.documentElement, document.querySelector('main') ?? document.body]
  const scrolls = (element: Element) => ['auto', 'scroll'].includes(getComputedStyle(element).overflowY)
  const scrollers = [frame, main, ...[...main.querySelectorAll(':not(textarea)')].filter(scrolls)]
  const isShown = (element: Element) => getComputedStyle(element).clipPath === 'none'
  const scrollerOf = (element: Element) =>
    scrollers.findLast((each) => each !== element && each.contains(element))
  const shown = [...document.querySelectorAll('body *')].filter(isShown)
  return scrollers
    .filter((each) => {
      const top = each.getBoundingClientRect().top - each.scrollTop
      const own = shown.filter((element) => scrollerOf(element) === each)
      const end = Math.max(
        each.clientHeight,
        ...own.map((child) => child.getBoundingClientRect().bottom - top),
      )
      const isSideways = [frame, main].includes(each as HTMLElement) && each.scrollWidth > each.clientWidth
      return isSideways || each.scrollHeight - end > 32
    })
    .map((each) => `${each.localName}.${each.className}`)
}
