export const navigation: readonly { label: string; to: string }[] = [
  { label: 'Home', to: '/' },
  { label: 'Blog', to: '/blogs' },
  { label: 'Contact', to: '/contact' },
  { label: 'Reviews', to: '/reviews' },
  { label: 'FAQ', to: '/faq' },
]

export const footerLinks: readonly { label: string; to: string }[] = [
  { label: 'Blog', to: '/blogs' },
  { label: 'Reviews', to: '/reviews' },
  { label: 'FAQ', to: '/faq' },
  { label: 'Contact', to: '/contact' },
  { label: 'Privacy', to: '/privacy' },
  { label: 'Terms', to: '/terms' },
]
