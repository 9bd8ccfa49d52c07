import type { NewBlog, NewReview } from './records.ts'

/** Sample posts and reviews, marked by the `demo` field. */
export interface SampleRepository {
  /**
   * Stores the samples atomically, once in the life of a store. False when that has happened before, even if they were
   * removed since, or with `onlyWhenEmpty` when the store holds anything. Leaves out a post whose slug is taken.
   */
  seed(
    samples: { blogs: readonly NewBlog[]; reviews: readonly NewReview[] },
    options: { onlyWhenEmpty: boolean },
  ): Promise<boolean>
  /** Removes the remaining samples atomically, and returns how many there were. */
  remove(): Promise<{ blogs: number; reviews: number }>
}
