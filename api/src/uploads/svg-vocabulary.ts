export const SVG = 'http://www.w3.org/2000/svg'
export const XLINK = 'http://www.w3.org/1999/xlink'
export const XML = 'http://www.w3.org/XML/1998/namespace'
export const XMLNS = 'http://www.w3.org/2000/xmlns/'
export const XHTML = 'http://www.w3.org/1999/xhtml'

const set = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Shapes, text, colors, clips, masks, filters, and embedded images, but no scripts, animations, or links. */
export const ELEMENTS = set(`
  svg g defs symbol use title desc path rect circle ellipse line polyline polygon text tspan textPath image
  linearGradient radialGradient stop pattern clipPath mask marker switch filter
  feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap
  feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode
  feMorphology feOffset fePointLight feSpecularLighting feSpotLight feTile feTurbulence
`)
/** Elements that run, move, or load something. The SVG would be a different picture without them. */
export const ACTIVE = set(`
  script handler listener animate animateColor animateMotion animateTransform set discard mpath
  iframe object embed audio video canvas source track frame frameset applet link meta base form input
`)
export const WITH_TEXT = set('title desc text tspan textPath')
/** Elements that may refer to another element of the same file, and only by `#id`. */
export const WITH_HREF = set('use textPath linearGradient radialGradient pattern feImage filter')
export const WITH_IMAGE = set('image feImage')

/** CSS properties that are also attributes. */
export const PRESENTATION = set(`
  alignment-baseline baseline-shift clip-path clip-rule color color-interpolation color-interpolation-filters direction
  display dominant-baseline fill fill-opacity fill-rule filter flood-color flood-opacity font-family font-size
  font-size-adjust font-stretch font-style font-variant font-weight image-rendering letter-spacing lighting-color
  marker-end marker-mid marker-start mask mask-type opacity overflow paint-order shape-rendering stop-color stop-opacity
  stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity stroke-width
  text-anchor text-decoration text-rendering unicode-bidi vector-effect visibility word-spacing writing-mode
`)
/** CSS properties that stay in a style, because they are not attributes. */
export const STYLES = set(`
  mix-blend-mode isolation transform transform-origin transform-box background-color font-feature-settings
  font-variation-settings font-kerning white-space
`)
/** CSS properties that are attributes of these elements only. */
export const GEOMETRY = new Map(
  Object.entries({
    circle: 'cx cy r',
    ellipse: 'cx cy rx ry',
    rect: 'x y width height rx ry',
    image: 'x y width height',
  }).map(([name, properties]) => [name, set(properties)]),
)
/** Attributes that are not CSS. They can name nothing and run nothing. */
export const ATTRIBUTES = set(`
  role aria-label aria-hidden focusable version baseProfile x y x1 y1 x2 y2 cx cy r rx ry fx fy fr d points dx dy rotate
  textLength lengthAdjust startOffset method spacing side width height viewBox preserveAspectRatio transform
  gradientTransform gradientUnits spreadMethod offset patternUnits patternContentUnits patternTransform clipPathUnits
  maskUnits maskContentUnits markerHeight markerUnits markerWidth orient refX refY pathLength transform-origin
  systemLanguage xml:space
  filterUnits primitiveUnits in in2 result stdDeviation edgeMode mode type values tableValues slope intercept amplitude
  exponent operator k1 k2 k3 k4 radius order kernelMatrix divisor bias targetX targetY preserveAlpha kernelUnitLength
  surfaceScale diffuseConstant specularConstant specularExponent azimuth elevation z pointsAtX pointsAtY pointsAtZ
  limitingConeAngle baseFrequency numOctaves seed stitchTiles scale xChannelSelector yChannelSelector
`)
/** Attributes with lists of the same file's IDs. */
export const ID_LISTS = set('aria-labelledby aria-describedby')
/** Attributes without an effect on the picture. They are removed without telling the admin. */
export const INERT =
  /^(?:data-|aria-|xmlns)|^(?:class|style|id|cursor|pointer-events|enable-background|requiredFeatures|contentStyleType|contentScriptType|zoomAndPan|tabindex|target|lang|title|name)$/
/** Functions that a CSS value may call. */
export const FUNCTIONS = set(`
  rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix calc min max clamp
  matrix translate translatex translatey scale scalex scaley rotate skew skewx skewy
  blur brightness contrast drop-shadow grayscale hue-rotate invert opacity saturate sepia
`)

/** Marks an embedded image's place with characters that no XML can contain. */
export function imagePlace(index: number): string {
  return `\0${index}\0`
}
