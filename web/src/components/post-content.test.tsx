import { render } from '@testing-library/react'
import { renderToString } from 'react-dom/server'
import { expect, it } from 'vitest'
import { PostContent } from './post-content.tsx'

const HTML = '<p>&lt;span style="a" <span style="color:rgb(230, 0, 0)">red</span></p>'

it('shows the colors of a post without style attributes in its HTML', () => {
  const served = renderToString(<PostContent html={HTML} />)
  expect(served).toContain('&lt;span style="a"')
  expect(served).toContain('<span data-style="color:rgb(230, 0, 0)">')
  const { getByText, rerender } = render(<PostContent html={HTML} />)
  expect(getByText('red').style.color).toBe('rgb(230, 0, 0)')
  rerender(<PostContent html={HTML.replace('red', 'blue').replace('230, 0, 0', '0, 0, 255')} />)
  expect(getByText('blue').style.color).toBe('rgb(0, 0, 255)')
})

it('adds srcset to uploaded images of known size, and changes nothing else', () => {
  const url = `/uploads/${'ab'.repeat(20)}.jpg`
  const html = `<p><img src="${url}" width="700" height="400" alt="" /><img src="${url}" alt="" /></p>`
  const served = renderToString(<PostContent html={html} />)
  expect(served).toContain(`${'ab'.repeat(20)}-960.webp 700w" sizes="min(700px, 100vw, 40em)" height="400"`)
  expect(served.match(/srcset/g)).toHaveLength(1)
})
