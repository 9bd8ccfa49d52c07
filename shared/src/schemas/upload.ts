import Type, { type Static } from 'typebox'

/** A stored image: `/uploads/{hash}.{ext}`. The size is in pixels. */
export const UploadSchema = Type.Object({
  url: Type.String(),
  width: Type.Integer(),
  height: Type.Integer(),
  /** What was removed from an SVG, in English, as parts of a sentence. Missing if nothing was. */
  cleaned: Type.Optional(Type.Array(Type.String())),
})
export type Upload = Static<typeof UploadSchema>

export const UploadedSchema = Type.Object({ message: Type.String(), data: UploadSchema })
export type Uploaded = Static<typeof UploadedSchema>
