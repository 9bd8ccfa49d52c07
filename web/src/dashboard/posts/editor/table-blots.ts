import Quill from 'quill'
import type BlockBlot from 'quill/blots/block.js'
import type ContainerBlot from 'quill/blots/container.js'
import { CELL, type Cell, decodeCell } from './table-cells.ts'

const Block = Quill.import('blots/block') as typeof BlockBlot
const Container = Quill.import('blots/container') as typeof ContainerBlot

const VALUE = 'data-cell'
/** Quill's `Scope.BLOCK_BLOT`. */
const BLOCK_BLOT = 10

/** A cell is one line. It cannot become a heading, a list, or code. */
class TableCell extends Block {
  static override blotName = CELL
  static override tagName = ['TD', 'TH']

  static override create(value: unknown): HTMLElement {
    const { tag, scope, colspan, rowspan } = decodeCell(value)
    const node = document.createElement(tag)
    node.setAttribute(VALUE, String(value))
    if (scope !== '') node.setAttribute('scope', scope)
    if (colspan > 1) node.setAttribute('colspan', String(colspan))
    if (rowspan > 1) node.setAttribute('rowspan', String(rowspan))
    return node
  }

  static override formats(node: HTMLElement): string | undefined {
    return node.getAttribute(VALUE) ?? undefined
  }

  override format(name: string, value: unknown): void {
    const isBlot = this.scroll.query(name, BLOCK_BLOT) !== null
    if (name === CELL ? value : !isBlot && name !== 'indent') super.format(name, value)
  }
}

/** Returns the format of the first cell in a part of a table. */
function firstCell(part: { domNode: Node } | null | undefined): Cell | undefined {
  if (!(part?.domNode instanceof Element)) return undefined
  const cell = part.domNode.matches('td, th') ? part.domNode : part.domNode.querySelector('td, th')
  return cell ? decodeCell(cell.getAttribute(VALUE)) : undefined
}

class TableRow extends Container {
  static override blotName = 'table-row'
  static override tagName = 'TR'

  override checkMerge(): boolean {
    return super.checkMerge() && firstCell(this)?.row === firstCell(this.next)?.row
  }

  /** A new row begins where a cell says so. */
  override optimize(...all: unknown[]): void {
    const context = all.at(-1) as Record<string, unknown>
    super.optimize(context)
    this.children.forEach((child) => {
      if (!child.next || firstCell(child)?.row === firstCell(child.next)?.row) return
      this.splitAfter(child).optimize(context)
    })
    // The row may belong to the previous one, which did not change.
    if (this.prev && firstCell(this.prev)?.row === firstCell(this)?.row) this.prev.optimize(context)
  }
}

class TableBody extends Container {
  static override blotName = 'table-body'
  static override tagName = 'TBODY'
}

class Table extends Container {
  static override blotName = 'table-frame'
  static override tagName = 'TABLE'

  override checkMerge(): boolean {
    return super.checkMerge() && firstCell(this)?.table === firstCell(this.next)?.table
  }
}

Table.allowedChildren = [TableBody]
TableBody.requiredContainer = Table
TableBody.allowedChildren = [TableRow]
TableRow.requiredContainer = TableBody
TableRow.allowedChildren = [TableCell]
TableCell.requiredContainer = TableRow

Quill.register(
  Object.fromEntries(
    [TableCell, TableRow, TableBody, Table].map((blot) => [`formats/${blot.blotName}`, blot]),
  ) as unknown as Record<string, never>,
  true,
)
