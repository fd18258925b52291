"""How each family of migration tools writes the way back, and where one has none: Python (Alembic, Django), Ruby
(Rails), JavaScript and TypeScript (knex, Sequelize, TypeORM), SQL (goose, dbmate, golang-migrate, diesel, Flyway,
Prisma). `checks.tampering.migrations` asks them.
"""
