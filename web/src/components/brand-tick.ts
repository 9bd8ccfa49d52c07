/** The brand's tick in a square of 20 units, as a path's data. */
export const BRAND_TICK = 'M2.5 11.4c1.9 1.2 3.2 2.9 4.2 5.3C9 11 12.3 6.6 17.5 2.8'
