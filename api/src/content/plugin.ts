import type { TypedApp } from '../http/validation.ts'
import { blogAdminRoutes, blogRoutes } from './blog-routes.ts'
import type { Blogs } from './blogs.ts'
import { contactRoutes } from './contact-routes.ts'
import type { Contacts } from './contacts.ts'
import type { ContentRevision } from './content-revision.ts'
import type { ListCache } from './list-cache.ts'
import { postVersionRoutes } from './post-version-routes.ts'
import type { PostVersions } from './post-versions.ts'
import type { PreviewLinks } from './preview-links.ts'
import type { Replies } from './replies.ts'
import { replyRoutes } from './reply-routes.ts'
import { reviewAdminRoutes, reviewRoutes, reviewSubmitRoutes } from './review-routes.ts'
import type { Reviews } from './reviews.ts'
import { sampleRoutes } from './sample-routes.ts'
import type { Samples } from './samples.ts'

interface PluginOptions {
  blogs: Blogs
  previewLinks: PreviewLinks
  postVersions: PostVersions
  reviews: Reviews
  contacts: Contacts
  replies: Replies
  samples: Samples
  contentRevision: ContentRevision
  listCache: ListCache
}

export async function contentPlugin(api: TypedApp, options: PluginOptions): Promise<void> {
  const {
    blogs,
    previewLinks,
    postVersions,
    reviews,
    contacts,
    replies,
    samples,
    contentRevision,
    listCache,
  } = options
  contentRevision.subscribe(() => listCache.clear())
  api.addHook('onClose', async () => contentRevision.close())
  blogRoutes(api, { blogs, previewLinks, listCache })
  // The admins' routes have a scope of their own, which accepts multipart forms.
  await api.register(async (scope) => blogAdminRoutes(scope, { blogs, previewLinks }))
  postVersionRoutes(api, { postVersions })
  reviewRoutes(api, { reviews, listCache })
  reviewSubmitRoutes(api, { reviews })
  reviewAdminRoutes(api, { reviews })
  contactRoutes(api, { contacts })
  replyRoutes(api, { replies })
  sampleRoutes(api, { samples })
}
