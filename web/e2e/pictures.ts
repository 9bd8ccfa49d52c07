import sharp from 'sharp'

/** A picture with a gradient, so that its preview is recognized on screenshots. */
export async function picture(width: number, height: number): Promise<Buffer> {
  const gradient = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <linearGradient id="g" x2="1" y2="1"><stop stop-color="#1565c0"/><stop offset="1" stop-color="#ffb300"/></linearGradient>
    <rect width="100%" height="100%" fill="url(#g)"/><circle cx="50%" cy="50%" r="20%" fill="#fff"/></svg>`
  return sharp(Buffer.from(gradient)).png().toBuffer()
}

/** A PDF of one empty page. */
export const PDF = Buffer.from(`%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj
trailer<</Root 1 0 R>>
%%EOF
`)
