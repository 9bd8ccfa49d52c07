/** The top navigation, in order. A link stands here once its page does. */
export const navigation: readonly { label: string; to: string }[] = [{ label: 'Home', to: '/' }]
