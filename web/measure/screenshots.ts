/**
 * `npm run screenshots`: starts the product with sample data and takes the pictures of the documents.
 * `npm run screenshots -- --all [NAME…]`: takes pictures of all pages, or of those whose names begin so, into a folder
 * that git ignores.
 */
import { shootAll } from './pictures/all-pictures.ts'
import { shootDocuments } from './pictures/document-pictures.ts'

const [mode, ...beginnings] = process.argv.slice(2)
if (mode === '--all') await shootAll(beginnings)
else if (mode === undefined) await shootDocuments()
else throw new Error('Use `npm run screenshots`, or `npm run screenshots -- --all [NAME…]`.')
