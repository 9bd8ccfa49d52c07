/** Fills the first screen. */
const ROWS = 17

/** Keeps the places of the rows while the list loads. Screen readers say "Loading". */
export function SkeletonRows({ isBeside }: { isBeside: boolean }) {
  return (
    <>
      <p className="visually-hidden" role="status">
        Loading
      </p>
      <div className="skeleton-rows" data-beside={isBeside} aria-hidden="true">
        {Array.from({ length: ROWS }, (_, index) => (
          <div key={index} className="skeleton-row">
            <span className="skeleton" />
            <span className="skeleton" />
            <span className="skeleton" />
          </div>
        ))}
      </div>
    </>
  )
}
