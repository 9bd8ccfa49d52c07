import { render } from '@testing-library/react'
import { renderToString } from 'react-dom/server'
import { expect, it } from 'vitest'
import { PostContent } from './post-content.tsx'

const HTML = '<p>&lt;span style="a" <span style="color:rgb(230, 0, 0)">red</span></p>'

it('shows the colours of a post, and hands a browser no style attribute to complain of', () => {
  const served = renderToString(<PostContent html={HTML} />)
  expect(served).toContain('&lt;span style="a"')
  expect(served).toContain('<span data-style="color:rgb(230, 0, 0)">')
  const { getByText, rerender } = render(<PostContent html={HTML} />)
  expect(getByText('red').style.color).toBe('rgb(230, 0, 0)')
  rerender(<PostContent html={HTML.replace('red', 'blue').replace('230, 0, 0', '0, 0, 255')} />)
  expect(getByText('blue').style.color).toBe('rgb(0, 0, 255)')
})
