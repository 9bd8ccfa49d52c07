// These parts of css-tree load no tables of properties; its types describe only the whole package.
declare module 'css-tree/parser' {
  export { parse as default } from 'css-tree'
}
declare module 'css-tree/generator' {
  export { generate as default } from 'css-tree'
}
declare module 'css-tree/utils' {
  export { ident } from 'css-tree'
}
declare module 'css-tree/tokenizer' {
  export { tokenize, tokenTypes } from 'css-tree'
}
