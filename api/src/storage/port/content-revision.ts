/** Lets every process that has the store open notice changed posts and reviews. */
export interface ContentRevisionRepository {
  /** A different text after each `advance` of any process. */
  read(): Promise<string>
  advance(): Promise<void>
}
