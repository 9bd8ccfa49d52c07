/** The launcher's icon, on a grid of 24 by 24 units. */
export const LAUNCHER_BUBBLE = 'M4 5h16v11H10l-4.5 4v-4H4z'
