// Run by mongosh, repeatedly: creates the replica set and the user, or updates the user's password.
const { MONGODB_ROOT_PASSWORD, MONGODB_PASSWORD } = process.env
const address = `mongodb://root:${encodeURIComponent(MONGODB_ROOT_PASSWORD)}@mongodb:27017/?directConnection=true`
const admin = connect(address).getSiblingDB('admin')

const hello = admin.hello()
if (!hello.setName) {
  admin.adminCommand({
    replSetInitiate: { _id: 'rs0', members: [{ _id: 0, host: 'mongodb:27017' }] },
  })
}
while (!admin.hello().isWritablePrimary) sleep(200)

const database = admin.getSiblingDB('proctorpass')
const user = { pwd: MONGODB_PASSWORD, roles: [{ role: 'readWrite', db: 'proctorpass' }] }
if (database.getUser('proctorpass') === null) database.createUser({ user: 'proctorpass', ...user })
else database.updateUser('proctorpass', user)
print('The replica set and the user exist.')
