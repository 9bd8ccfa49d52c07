/** Lucide's icons by name, each as the data of a path on a grid of 24 by 24 units. */
declare module 'virtual:icons' {
  export * from 'lucide-static'
}
