/** The words of names for visitors without one. Both lists have 64 entries, so that every pair is equally likely. */
const COLORS = (
  'Amber Apricot Aqua Ash Auburn Azure Beige Black Blue Blush Bronze Brown Burgundy Chestnut Cinnamon Cobalt ' +
  'Copper Coral Cream Crimson Cyan Ebony Emerald Fawn Flax Garnet Ginger Golden Gray Green Hazel Honey ' +
  'Indigo Ivory Jade Lavender Lemon Lilac Lime Magenta Mahogany Maroon Mauve Mint Ochre Olive Orange Peach ' +
  'Pearl Pink Plum Purple Red Rose Ruby Russet Saffron Sapphire Scarlet Silver Teal Violet White Yellow'
).split(' ')
const ANIMALS = (
  'Badger Bear Beaver Bee Bison Bluebird Bobcat Camel Cardinal Condor Cougar Crane Cricket Deer Dolphin Dove ' +
  'Eagle Egret Elk Falcon Ferret Finch Flamingo Fox Gazelle Gecko Goose Hare Hawk Hedgehog Heron Ibis ' +
  'Jaguar Jay Kestrel Kingfisher Koala Lark Lemur Leopard Lion Llama Loon Lynx Magpie Marten Moose Nightingale ' +
  'Ocelot Oriole Osprey Otter Owl Panda Panther Pelican Penguin Puffin Quail Rabbit Raven Robin Seal Sparrow'
).split(' ')

/**
 * Returns a name such as "Green Heron", which is the same wherever this visitor is shown. The name is not unique,
 * unlike the clientId. The hash is 32-bit FNV-1a.
 */
export function aliasOf(clientId: string): string {
  let hash = 0x811c9dc5
  for (let index = 0; index < clientId.length; index += 1) {
    hash = Math.imul(hash ^ clientId.charCodeAt(index), 0x01000193)
  }
  return `${COLORS[(hash >>> 8) & 63]} ${ANIMALS[(hash >>> 20) & 63]}`
}
