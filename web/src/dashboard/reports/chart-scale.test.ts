import { describe, expect, it } from 'vitest'
import { spread, ticksOf, tickText } from './chart-scale.ts'

describe('the axes of charts', () => {
  it.each([
    [0, 'count', ['0', '1']],
    [1, 'count', ['0', '1']],
    [9, 'count', ['0', '5', '10']],
    [1_300, 'count', ['0', '500', '1,000', '1,500']],
    [3, 'seconds', ['0', '1 s', '2 s', '3 s']],
    [200, 'seconds', ['0', '1 min', '2 min', '3 min', '4 min']],
    [4_000, 'seconds', ['0', '30 min', '1 h'].concat('90 min')],
    [90_000, 'seconds', ['0', '12 h', '1 day', '36 h']],
    [20 * 86_400, 'seconds', ['0', '5 days', '10 days', '15 days', '20 days']],
    [2.5, 'score', ['1', '2', '3', '4', '5']],
  ] as const)('up to %s as %s have %s', (max, unit, texts) => {
    expect(ticksOf(max, unit).map((tick) => tickText(tick, unit))).toEqual(texts)
  })

  it('name the first and the last day, and some between', () => {
    expect(spread(1, 6)).toEqual([0])
    expect(spread(7, 9)).toEqual([0, 1, 2, 3, 4, 5, 6])
    expect(spread(28, 4)).toEqual([0, 9, 18, 27])
    expect(spread(365, 1)).toEqual([0, 364])
    expect(spread(0, 4)).toEqual([])
  })
})
